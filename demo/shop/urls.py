"""The shop's addresses."""

from django.urls import path

from demo.shop import views

urlpatterns = [
    path("", views.home, name="home"),
    path("category/<slug:slug>/", views.category, name="category"),
    path("search/", views.search, name="search"),
    path("product/<slug:sku>/", views.product, name="product"),
    path("stock/<slug:sku>/", views.stock, name="stock"),
    path("newsletter/", views.newsletter, name="newsletter"),
    path("cart/", views.cart, name="cart"),
    path("cart/add/", views.cart_add, name="cart-add"),
    path("cart/update/", views.cart_update, name="cart-update"),
    path("cart/remove/", views.cart_remove, name="cart-remove"),
    path("cart/coupon/", views.coupon, name="coupon"),
    path("gift-card/", views.gift_card, name="gift-card"),
    path("checkout/", views.checkout, name="checkout"),
    path("checkout/place/<slug:placed_from>/", views.place, name="place"),
    path("orders/<str:number>/", views.order, name="order"),
    path("orders/<str:number>/cancel/", views.order_cancel, name="order-cancel"),
    path("__state", views.state, name="state"),
    path("__reset", views.reset, name="reset"),
]
